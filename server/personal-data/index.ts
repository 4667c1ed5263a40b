import { module } from '../kernel/module.ts'
import { createErasureRequest } from './create-erasure-request.ts'
import { erasePersonalData } from './erase-personal-data.ts'
import { erasureRequests } from './erasure-requests.ts'
import { listErasureRequests } from './list-erasure-requests.ts'
import { listPersonalDataLogs } from './list-personal-data-logs.ts'
import { listRelatedDataEntries } from './list-related-data-entries.ts'
import { logsTtl } from './logs-ttl.ts'
import { trimChanges } from './trim-changes.ts'

export { ReadRecorder } from './read-recorder.ts'

export const personalData = module({
  name: 'personal-data',
  about: 'Who read and who changed personal data, what belongs together, and how it is erased.',
  resources: [erasureRequests],
  singletons: [logsTtl],
  actions: [listPersonalDataLogs, listRelatedDataEntries, createErasureRequest, listErasureRequests],
  jobs: [erasePersonalData],
  chores: [trimChanges],
})
