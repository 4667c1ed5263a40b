/** A custom discount as a seller sends it. */
export const customDiscount = (amount: number | { readonly amount: number }, more: object = {}) => ({
  ...{ type: 'custom_discount', external_id: 'till-1', discount_engine: 'Till', discount_code: 'REGULAR' },
  ...{ description: 'Regular', amount },
  ...more,
})
