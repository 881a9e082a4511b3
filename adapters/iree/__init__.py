"""IREE, by its importer of ONNX models."""
