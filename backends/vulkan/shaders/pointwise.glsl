// A program over elements: every invocation loads one element of each operand, runs a list of operations on registers,
// and stores what comes out.
//
// Metadata: rank, sizes; the number of loads and, each in 2 + rank words, slot | dtype << 8 | register << 16, offset,
// strides; the number of constants, each with its register and two words; the number of operations, a word each; the
// number of stores, each like a load. An operation is case | target << 8 | a << 14 | b << 20 | c << 26.
uint raised = 0u;

HELPERS
// second and third are the operands b and c as they are written.
uvec2 computed(uint number, uvec2 a_bits, uvec2 b_bits, uvec2 c_bits, uint second, uint third, uint item) {
  uvec2 y_bits = uvec2(0u);
  switch (number) {
CASES
  }
  return y_bits;
}

void main() {
  uint item = push.first + gl_GlobalInvocationID.x;
  if (item >= push.count) return;
  uint at = push.metadata;
  uint rank = metadata[at++];
  int coordinates[8];
  uint rest = item;
  for (uint d = rank; d-- > 0u;) {
    uint size = metadata[at + d];
    coordinates[d] = int(rest % size);
    rest /= size;
  }
  at += rank;
  uvec2 registers[REGISTERS];
  uint loads = metadata[at++];
  for (uint i = 0u; i < loads; ++i) {
    uint head = metadata[at];
    int element = int(metadata[at + 1u]);
    for (uint d = 0u; d < rank; ++d) element += coordinates[d] * int(metadata[at + 2u + d]);
    registers[head >> 16] = load(head & 0xffu, head >> 8 & 0xffu, element);
    at += 2u + rank;
  }
  uint constants = metadata[at++];
  for (uint i = 0u; i < constants; ++i) {
    registers[metadata[at]] = uvec2(metadata[at + 1u], metadata[at + 2u]);
    at += 3u;
  }
  uint operations = metadata[at++];
  for (uint i = 0u; i < operations; ++i) {
    uint word = metadata[at++];
    uint b = word >> 20 & 63u;
    uint c = word >> 26;
    registers[word >> 8 & 63u] =
        computed(word & 0xffu, registers[word >> 14 & 63u], registers[b], registers[c], b, c, item);
  }
  uint stores = metadata[at++];
  for (uint i = 0u; i < stores; ++i) {
    uint head = metadata[at];
    int element = int(metadata[at + 1u]);
    for (uint d = 0u; d < rank; ++d) element += coordinates[d] * int(metadata[at + 2u + d]);
    store(head & 0xffu, head >> 8 & 0xffu, element, registers[head >> 16]);
    at += 2u + rank;
  }
  if (raised != 0u) raise(raised, 0, 0);
}
