/** What lists of orders read of the hidden values: all but what they do not show, which may be megabytes. */
export const hiddenInLists = (row: string): string =>
  `(${row}hidden::jsonb - '{shipping_groups,product_ids,product_skus,cart,stock}'::text[])::text`
