/** Currencies that Stripe counts in whole units, and those with three digits after the point. All others have two. */
const whole = 'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' ')
const thousandths = 'BHD JOD KWD OMR TND'.split(' ')

/** The digits after the point that Stripe's amounts of a currency have. */
export function stripeDecimalPlaces(currency: string): number {
  if (whole.includes(currency)) return 0
  return thousandths.includes(currency) ? 3 : 2
}
