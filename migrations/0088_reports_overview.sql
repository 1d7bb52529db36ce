-- What came from outside and what left, by day, for the overview of staff: a few in a hundred transfers, most of which are settlements.
CREATE INDEX transfer_moved ON ledger.transfer (at) WHERE kind IN ('deposit_pix', 'deposit_chain', 'hold_posted', 'reversal');
-- Sales by day.
CREATE INDEX licence_paid ON licences.licence (paid_at);
