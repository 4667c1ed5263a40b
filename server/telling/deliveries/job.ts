/** A job that this process has claimed. */
export interface ClaimedJob {
  readonly storeId: string
  readonly integrationId: string
  readonly id: string
  readonly eventId: string
  readonly key: string
  readonly source: string
  readonly subjectId: string
  readonly position: number
  /** How many attempts there were. */
  readonly attempt: number
  /** The end of the lease, which identifies the claim. */
  readonly lease: string
}

/** An integration of a store, by one text. */
export const endpointOf = (storeId: string, integrationId: string): string => `${storeId} ${integrationId}`
