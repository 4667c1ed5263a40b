/** Currencies that Stripe counts in whole units, and those with three digits after the point. All others have two. */
const whole = 'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' ')
const thousandths = 'BHD JOD KWD OMR TND'.split(' ')

/** The digits after the point that Stripe's amounts of a currency have. */
function stripeDecimalPlaces(currency: string): number {
  if (whole.includes(currency)) return 0
  return thousandths.includes(currency) ? 3 : 2
}

/** Why Stripe cannot take amounts of a currency with these digits after the point; undefined if it can. */
export function currencyMismatch(currency: string, decimalPlaces: number): string | undefined {
  const places = stripeDecimalPlaces(currency)
  if (places === decimalPlaces) return undefined
  return `Stripe counts ${currency} with ${places} decimal places, and the store with ${decimalPlaces}.`
}
