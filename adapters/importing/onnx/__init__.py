"""From ONNX models to cases: reading.py reads, model.py walks the nodes, rows/ says what each operator is."""
