/** Why a gateway did not do something. */
export interface Reason {
  /** What the gateway calls it. */
  readonly code: string
  readonly reason: string
  /** It is about the settings of the merchant, such as their key, and not about the shopper's way of paying. */
  readonly isForMerchant?: true | undefined
}

/** The reason as shoppers read it. */
export function reasonForShoppers({ code, reason, isForMerchant }: Reason): Omit<Reason, 'isForMerchant'> {
  if (!isForMerchant) return { code, reason }
  return {
    code: 'gateway_refused',
    reason: 'The payment service refused the payment. The merchant can read why in the transaction.',
  }
}
