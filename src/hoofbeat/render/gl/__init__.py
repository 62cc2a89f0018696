"""The skinned animal in a light studio, drawn offscreen with OpenGL; needs the extra `render`."""
