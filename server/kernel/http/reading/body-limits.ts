/** What one body may make the server read. */
export interface BodyLimits {
  readonly bytesMax: number
  /** How many values its JSON may have: small ones cost much more than their bytes. */
  readonly valuesMax?: number
}

/** For bodies that are read whole; uploads have limits of their own. */
export const bodyBytesMax = 1024 * 1024

export const usualLimits: BodyLimits = { bytesMax: bodyBytesMax }

/** For requests that anyone can send: those without the secret of an application key. */
export const limitsOfShoppers: BodyLimits = { bytesMax: 256 * 1024, valuesMax: 10_000 }
