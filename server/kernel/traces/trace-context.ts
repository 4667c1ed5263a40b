import {
  createTraceState,
  isSpanContextValid,
  type SpanContext,
  type TraceState,
  trace,
} from '@opentelemetry/api'
import { currentScope } from './scopes.ts'

const version = '00'
const traceparent = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/
/** W3C Trace Context asks for at least 512 characters. */
const stateCharsMax = 512

/** Headers of a trace, as a message carries them on. */
interface TraceHeaders {
  readonly traceparent?: string
  readonly tracestate?: string
}

type HeaderValue = string | string[] | undefined

/** The span of the caller (W3C Trace Context); undefined if the headers name none. */
export function callerOf(parent: HeaderValue, state: HeaderValue): SpanContext | undefined {
  const [, traceId = '', spanId = '', flags = ''] = traceparent.exec(String(parent ?? '')) ?? []
  const caller = { traceId, spanId, traceFlags: Number.parseInt(flags || '0', 16) & 1, isRemote: true }
  if (!isSpanContextValid(caller)) return undefined
  const traceState = stateOf(state)
  return traceState ? { ...caller, traceState } : caller
}

function stateOf(header: HeaderValue): TraceState | undefined {
  return typeof header === 'string' && header.length <= stateCharsMax ? createTraceState(header) : undefined
}

/** What a message to another server says of the current span. */
export function traceHeaders(): TraceHeaders {
  const span = currentSpan()
  if (!span) return {}
  const flags = span.traceFlags.toString(16).padStart(2, '0')
  const tracestate = span.traceState?.serialize()
  return {
    traceparent: `${version}-${span.traceId}-${span.spanId}-${flags}`,
    ...(tracestate && { tracestate }),
  }
}

/** What each line of the log says of the trace that it belongs to. */
export function traceOfLog(): { readonly trace_id?: string } {
  const span = currentSpan()
  return span ? { trace_id: span.traceId } : {}
}

function currentSpan(): SpanContext | undefined {
  const context = currentScope()?.context
  return context && trace.getSpanContext(context)
}
