import { fill } from '../kernel/declare/hook.ts'
import { type Module, module } from '../kernel/module.ts'
import { onOrdersForgotten } from '../orders/index.ts'
import { erasePersonalData } from './erase-personal-data.ts'
import { createErasureRequest, erasureRequestsFor, listErasureRequests } from './erasure-requests.ts'
import { recordExportReads } from './export-reads.ts'
import { forgetTraces } from './forget-traces.ts'
import { listPersonalDataLogs } from './list-personal-data-logs.ts'
import { listRelatedDataEntries } from './list-related-data-entries.ts'
import { logsTtl, trimChanges } from './logs-ttl.ts'
import { Register } from './register.ts'

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
