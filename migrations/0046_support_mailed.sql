-- What staff mail about a ticket is a message of it: to whom it went, with the address masked as it was then. None: a message of
-- the conversation.
ALTER TABLE support.message ADD COLUMN mailed_to text CHECK (length(mailed_to) BETWEEN 1 AND 254);
ALTER TABLE support.message ADD CONSTRAINT message_mailed_by_staff CHECK (mailed_to IS NULL OR side = 'staff');
