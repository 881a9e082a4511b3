// The entry of targets that generated cases go to. PARALLAX_PLANT is faults to plant ("F01,F03"), PARALLAX_PROFILE what
// graphs look like, as in `parallax fuzz`.
#include "fuzz/campaign/case_fuzzer.h"
#include "fuzz/findings/fuzzer_hash.h"
#include "fuzz/targets/shared/entry.h"
#include "fuzz/targets/shared/environment.h"

namespace parallax {
namespace {

Result<CaseFuzzer> open_by_environment() {
  CaseFuzzer::Options options;
  options.target = fuzzed_target();
  if (const std::string faults = variable("PARALLAX_PLANT"); !faults.empty()) options.faults = split_names(faults);
  if (const std::string profile = variable("PARALLAX_PROFILE"); !profile.empty()) {
    const auto known = parse_generate_profile(profile);
    if (!known)
      return fail("PARALLAX_PROFILE={}: use alias, state, topology, numeric, shape, all, shipped or quantized",
                  profile);
    options.profile = *known;
  }
  return CaseFuzzer::open(std::move(options));
}

CaseFuzzer& fuzzer() {
  static CaseFuzzer instance = [] {
    Result<CaseFuzzer> opened = open_by_environment();
    if (!opened) refuse(opened.error());
    return *std::move(opened);
  }();
  return instance;
}

}  // namespace

void read_fuzzed_tape(Choices& choices) { fuzzer().draw(choices); }

}  // namespace parallax

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  parallax::fuzzer();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  if (const auto found = parallax::fuzzer().examine_tape({data, size})) {
    parallax::stop_with(found->finding.signature, parallax::finding_text(*found));
  }
  return 0;
}
