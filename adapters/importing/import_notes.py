"""What an import says beside the case: sizes that it fixed, ops that it wrote as others, what it left out."""

from __future__ import annotations

from collections import Counter


class Notes:
    def __init__(self) -> None:
        self._lines: list[str] = []
        self._replaced: dict[str, Counter[str]] = {}

    def say(self, line: str) -> None:
        if line not in self._lines:
            self._lines.append(line)

    def replaced(self, how: str, op: str) -> None:
        """The op stands in the case as other calls, or as its result."""
        self._replaced.setdefault(how, Counter())[op] += 1

    def lines(self) -> list[str]:
        summaries = [
            f"{how}: " + ", ".join(f"{count} {op}" if count > 1 else op for op, count in sorted(ops.items()))
            for how, ops in sorted(self._replaced.items())
        ]
        return [*self._lines, *summaries]
