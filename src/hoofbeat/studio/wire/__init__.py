"""What goes over the wire: messages, frame blocks and their TypeScript."""
