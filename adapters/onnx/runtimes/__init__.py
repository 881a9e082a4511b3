"""The runtimes that take ONNX models, one file each."""
