"""Drawing a pose: camera, figure, canvas and the shared look."""
