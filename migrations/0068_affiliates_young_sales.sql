-- Affiliates: a closing asks which of the sales so far were paid with money that is still young.
CREATE INDEX cause_young ON affiliates.cause (young_until) WHERE kind = 'sale' AND young_until IS NOT NULL;
