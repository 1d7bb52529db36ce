-- Identity: a name shows something (docs/rules/foundation.md#text). One that is made of blanks, fillers and joints alone becomes the username.
UPDATE identity.account SET full_name = username
WHERE NOT is_house
  AND full_name !~ '[^\s\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0]';
