"""A case as a network of ncnn, by way of its ONNX graph."""
