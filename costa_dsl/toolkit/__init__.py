"""The tools' code, by family. A tool is a manifest in tools/ and one function here; `api` is all it needs.

Heavy libraries (cv2, onnxruntime, ncnn, …) are imported inside the functions that need them.
"""
