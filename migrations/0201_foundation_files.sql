-- How much of a kind somebody has sent lately is asked before more of it is taken in.
CREATE INDEX file_owner ON foundation.file (owner, purpose, created_at);
