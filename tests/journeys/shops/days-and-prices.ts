/** A price as it is displayed. */
export const inDollars = (amount: number) => ({
  without_tax: {
    amount,
    currency: 'USD',
    float_price: amount / 100,
    formatted: `$${(amount / 100).toFixed(2)}`,
  },
})
export const net = (amount: number) => ({ amount, includes_tax: false })

const day = 24 * 60 * 60 * 1000
export const after = (days: number) => new Date(Date.now() + days * day).toISOString()
/** The Friday after tomorrow, or a later one. */
export const friday = (() => {
  const soon = new Date(Date.now() + 2 * day)
  soon.setUTCHours(0, 0, 0, 0)
  return new Date(soon.getTime() + ((12 - soon.getUTCDay()) % 7) * day)
})()
