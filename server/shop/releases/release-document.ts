import type { Changes } from '../../kernel/shape/fields.ts'
import type { JobDocument } from '../../store/index.ts'
import { type ReleaseFields, releases } from '../catalogs/releases.ts'

/** What a release shows beside its status. */
export type ReleaseDetails = Omit<Changes<ReleaseFields>, 'status' | 'started_at' | 'waiting_for'>

/** A release shows the job that publishes it. */
export const releaseDocument: JobDocument<ReleaseFields, ReleaseDetails> = {
  resource: releases,
  read: ({ hidden: { status, waiting_for } }) => ({
    phase: status === 'PENDING' ? 'pending' : status === 'IN_PROGRESS' ? 'started' : 'ended',
    waitingFor: waiting_for,
    errorCount: 0,
  }),
  show: ({ hidden }, event) => {
    if (event.is === 'waiting') return { waiting_for: event.reason }
    const details = { ...('details' in event && event.details), waiting_for: undefined }
    if (event.is === 'part done') return details
    if (event.is === 'ended') return { ...details, status: event.isSuccess ? 'PUBLISHED' : 'FAILED' }
    return { ...details, status: 'IN_PROGRESS', started_at: hidden.started_at ?? event.at }
  },
}
