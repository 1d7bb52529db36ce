-- Identity: whoever knows the password has not shown that they read at the address which staff put in place: it opens nothing until another one is
-- set by that mailbox (docs/decisions/0114-ways-in-by-others-and-of-who-decides.md).
-- Holds identity.account: a column without a default, so that no row is written anew.
ALTER TABLE identity.account ADD COLUMN password_ended_at timestamptz;
