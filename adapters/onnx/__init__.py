"""A case as an ONNX model, and a session that runs one."""
