-- Products have events, which show them as their GET does: with their type, their parent and their variations.
CALL track('products', $$'product'$$, hidden => 'r.hidden');
