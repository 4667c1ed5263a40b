import { fill } from '../kernel/declare/hook.ts'
import { type Module, module } from '../kernel/module.ts'
import { onOrdersForgotten } from '../orders/index.ts'
import { createErasureRequest } from './create-erasure-request.ts'
import { erasePersonalData } from './erase-personal-data.ts'
import { erasureRequestsFor } from './erasure-requests.ts'
import { recordExportReads } from './export-reads.ts'
import { forgetTraces } from './forget-traces.ts'
import { listErasureRequests } from './list-erasure-requests.ts'
import { listPersonalDataLogs } from './list-personal-data-logs.ts'
import { listRelatedDataEntries } from './list-related-data-entries.ts'
import { logsTtl } from './logs-ttl.ts'
import { Register } from './register.ts'
import { trimChanges } from './trim-changes.ts'

/** The personal data that these modules hold. */
export function personalData(modules: readonly Module[]): Module {
  const register = new Register(modules)
  const erasureRequests = erasureRequestsFor(register)
  const erasure = erasePersonalData(register, erasureRequests)
  return module({
    name: 'personal-data',
    about: 'Logs of who read and changed personal data, related data, and erasure.',
    resources: [erasureRequests],
    singletons: [logsTtl],
    actions: [
      listPersonalDataLogs(register),
      listRelatedDataEntries(register),
      createErasureRequest(erasureRequests, erasure),
      listErasureRequests(register, erasureRequests),
    ],
    jobs: [erasure, recordExportReads],
    chores: [trimChanges],
    adds: [fill(onOrdersForgotten, forgetTraces)],
  })
}
