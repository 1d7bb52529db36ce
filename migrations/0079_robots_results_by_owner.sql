-- Robots: the results of a day are asked for by whose they are: what the day's closing would bring those above.
CREATE INDEX day_result_owner ON robots.day_result (owner, day);
