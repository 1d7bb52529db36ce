-- PIX: findings of a statement are judged anew when the books move. What we booked and a file lacks may be taken back: then nothing is open.
ALTER TABLE pix.statement_line DROP CONSTRAINT statement_line_check;
ALTER TABLE pix.statement_line ADD CONSTRAINT statement_line_lacks
    CHECK (CASE WHEN number IS NULL THEN outcome IN ('without_line', 'matched') ELSE outcome <> 'without_line' END);
CREATE INDEX statement_line_bank ON pix.statement_line (end_to_end_id) WHERE end_to_end_id IS NOT NULL;
CREATE INDEX statement_line_mark ON pix.statement_line (txid) WHERE txid IS NOT NULL;
CREATE INDEX statement_line_withdrawal ON pix.statement_line (withdrawal) WHERE withdrawal IS NOT NULL;
