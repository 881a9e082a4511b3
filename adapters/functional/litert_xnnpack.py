"""litert-xnnpack: LiteRT's interpreter with the XNNPACK delegate, which takes what it can in f32."""

from __future__ import annotations

from adapters.functional.litert_program import make_litert
from adapters.worker.loop import serve

if __name__ == "__main__":
    serve(lambda arguments: make_litert("litert-xnnpack", arguments, True, "litert-xnnpack"))
