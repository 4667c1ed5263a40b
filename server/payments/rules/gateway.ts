import type { PaymentMethod, Report } from '../../orders/index.ts'
import type { Reason } from './reason.ts'

/** A new payment, as a gateway needs it. */
export interface Charge {
  readonly method: PaymentMethod
  readonly amount: number
  /** The code of the currency, and the digits that its amounts have after the point. */
  readonly currency: string
  readonly decimalPlaces: number
  /** What the merchant finds the payment by at the gateway. */
  readonly metadata: Readonly<Record<string, string>>
  /** What the gateway calls the way of paying: a token or an id. */
  readonly payment?: string | undefined
  /** The ways of paying that the shopper may choose from. */
  readonly paymentMethodTypes?: readonly string[] | undefined
  /** Options of the gateway. */
  readonly options?: Readonly<Record<string, unknown>> | undefined
}

/** A payment that the gateway knows. */
export interface Receipt {
  /** What the gateway calls it. */
  readonly reference: string
  readonly amount: number
  readonly refundedAmount: number
}

/** What a gateway says about a payment. */
export interface Outcome {
  /** What has become of the money, in this order; empty while the gateway waits for the shopper. */
  readonly reports: readonly Report[]
  /** What the gateway calls the payment; undefined if it has none. */
  readonly reference: string | undefined
  /** Why the payment failed, or why its last way of paying was declined. */
  readonly failure?: Reason | undefined
  /** Why the gateway refused the call. The payment stands as `reports` say. */
  readonly refusal?: Reason | undefined
  /** What the browser of the shopper needs to go on. */
  readonly browser?: { readonly token: string; readonly secret: string; readonly status: string } | undefined
  /** The gateway's own word for how the payment stands. */
  readonly detailedStatus?: string | undefined
  /** Why it was cancelled. */
  readonly cancellationReason?: string | undefined
  /** Whether it waits for a shopper at a screen. A voucher or a bank transfer takes days, and does not. */
  readonly waitsForShopper?: boolean
}

/** Why a payment is given up. */
export const cancellationReasons = ['duplicate', 'fraudulent', 'requested_by_customer', 'abandoned'] as const
export type CancellationReason = (typeof cancellationReasons)[number]

/** A call of a gateway. */
export interface GatewayCall {
  /** The same for the same call, also after a crash: the service repeats its first response. */
  readonly key: string
  /** What the gateway calls the new payment, if an interrupted run of the same call has learnt it. */
  readonly reference?: string | undefined
  /** Keeps what the gateway calls the new payment, for such a run. A gateway calls it before money can move. */
  keep?(reference: string): Promise<void>
  /** How long ago the service failed at this call, if an earlier run of it has seen that. */
  readonly faultMs?: number | undefined
  /** Keeps that the service has failed just now. */
  keepFault?(): Promise<void>
}

/**
 * A service that moves money: the port that each gateway implements. A refusal by the service is an outcome. To throw
 * means that the outcome is unknown, and that the same call may be repeated with the same key.
 */
export interface Gateway {
  /** The methods that it accepts. */
  readonly methods: readonly PaymentMethod[]
  purchase(charge: Charge, via: GatewayCall): Promise<Outcome>
  authorize(charge: Charge, via: GatewayCall): Promise<Outcome>
  /** Receives all that an authorization holds. */
  capture(receipt: Receipt, via: GatewayCall): Promise<Outcome>
  /**
   * Returns money: `refundedAmount` less what the receipt says. Refunds that the merchant makes at the service
   * meanwhile come on top.
   */
  refund(receipt: Receipt, refundedAmount: number, via: GatewayCall): Promise<Outcome>
  /** Gives up a payment that has received nothing. Absent where the service has no such call. */
  cancel?(receipt: Receipt, via: GatewayCall, reason?: CancellationReason): Promise<Outcome>
  /** Changes the amount of a payment that waits for the shopper. Absent where the service has no such call. */
  reprice?(reference: string, price: Pick<Charge, 'amount' | 'currency'>, via: GatewayCall): Promise<Outcome>
  /** How the payment stands. */
  read(receipt: Receipt): Promise<Outcome>
}
