-- Typos are looked for only in words without digits, so the others are not written any more.
DELETE FROM published_words WHERE word ~ '[0-9]';
