import type { PaymentMethod, Report } from '../payments/index.ts'

/** A new payment, as a gateway needs it. */
export interface Charge {
  readonly method: PaymentMethod
  readonly amount: number
  /** The code of the currency. */
  readonly currency: string
  readonly orderId: string
}

/** A payment that the gateway knows. */
export interface Receipt {
  /** What the gateway calls it. */
  readonly reference: string
  readonly amount: number
}

/** What a gateway says about a payment. */
export interface Outcome {
  /** What has become of the money; undefined while the gateway waits for the shopper. */
  readonly report: Report | undefined
  readonly reference: string
}

/**
 * A service that moves money: the port that each gateway implements. A refusal by the service is a report, or a Problem
 * where the client can mend the request. To throw anything else means that the outcome is unknown.
 */
export interface Gateway {
  /** The methods that it accepts. */
  readonly methods: readonly PaymentMethod[]
  purchase(charge: Charge): Promise<Outcome>
  authorize(charge: Charge): Promise<Outcome>
  /** Receives all that an authorization holds. */
  capture(receipt: Receipt): Promise<Outcome>
  /** Returns money: `refundedAmount` is what will be refunded in all. */
  refund(receipt: Receipt, refundedAmount: number): Promise<Outcome>
  /** Gives up a payment that has received nothing. Absent where the service has no such call. */
  cancel?(receipt: Receipt): Promise<Outcome>
  /** How the payment stands. */
  read(receipt: Receipt): Promise<Outcome>
}
