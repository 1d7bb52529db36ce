-- Privacy: a request to close an account that waits though its day is well over is told to staff, once (docs/rules/privacy.md#closing).
ALTER TABLE privacy.closing ADD COLUMN late_told_at timestamptz;
GRANT UPDATE (late_told_at) ON privacy.closing TO arbora_app;
