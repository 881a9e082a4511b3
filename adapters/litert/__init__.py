"""LiteRT, whichever converter made the flatbuffer."""
