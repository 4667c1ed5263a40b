import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { currentScope, runIn, type TraceScope } from './scopes.ts'
import type { Timings } from './timings.ts'

/** Undefined while no one collects spans: then a span costs a comparison. */
let tracer: Tracer | undefined

interface SpanOptions {
  readonly kind?: keyof typeof SpanKind
  readonly attributes?: Attributes
}

/** Runs a request in a span whose parent is the caller's. */
export function inRequestSpan<T>(
  name: string,
  caller: SpanContext | undefined,
  timings: Timings,
  describe: () => Attributes,
  run: () => Promise<T>,
): Promise<T> {
  const parent = caller ? trace.setSpanContext(ROOT_CONTEXT, caller) : ROOT_CONTEXT
  if (!tracer) return runIn({ context: caller && parent, timings }, run)
  return inNew(tracer, name, { kind: 'SERVER', attributes: describe() }, parent, timings, run)
}

/** Runs work that no request waits for in a span without a parent. */
export const inRootSpan = <T>(name: string, options: SpanOptions, run: () => Promise<T>): Promise<T> =>
  tracer ? inNew(tracer, name, options, ROOT_CONTEXT, undefined, run) : runIn(nothing, run)

const nothing: TraceScope = { context: undefined, timings: undefined }

/** Runs a part of a request or a job in a span. Elsewhere there is no span. */
export function inSpan<T>(name: string, options: SpanOptions, run: () => Promise<T>): Promise<T> {
  const scope = tracer && openScope()
  return tracer && scope?.context ? inNew(tracer, name, options, scope.context, scope.timings, run) : run()
}

/** As `inSpan`, for what ends by a callback. Undefined where there is no span. */
export function beginSpan(describe: () => SpanOptions & { readonly name: string }): Span | undefined {
  const context = tracer && openScope()?.context
  if (!tracer || !context) return undefined
  const { name, kind = 'INTERNAL', attributes } = describe()
  return tracer.startSpan(name, { kind: SpanKind[kind], ...(attributes && { attributes }) }, context)
}

export function endSpan(span: Span, error?: unknown): void {
  if (error) {
    // The message may have values of a client.
    span.setStatus({ code: SpanStatusCode.ERROR })
    span.setAttribute('error.type', typeOf(error))
  }
  span.end()
}

/** What a request has begun and left behind, such as a timer, is not a part of it any more. */
function openScope(): TraceScope | undefined {
  const scope = currentScope()
  return scope?.timings?.isOver ? undefined : scope
}

async function inNew<T>(
  tracerInUse: Tracer,
  name: string,
  { kind = 'INTERNAL', attributes }: SpanOptions,
  parent: Context,
  timings: Timings | undefined,
  run: () => Promise<T>,
): Promise<T> {
  const options = { kind: SpanKind[kind], ...(attributes && { attributes }) }
  const span = tracerInUse.startSpan(name, options, parent)
  try {
    const result = await runIn({ context: trace.setSpan(parent, span), timings }, run)
    endSpan(span)
    return result
  } catch (error) {
    endSpan(span, error)
    throw error
  }
}

function typeOf(error: unknown): string {
  const { code, name } = error as { readonly code?: unknown; readonly name?: unknown }
  return String(code ?? name ?? 'error')
}

/** Where spans are sent, and which. */
interface TraceExport {
  /** The base address: `/v1/traces` is added. */
  readonly endpoint: string
  readonly headers: Readonly<Record<string, string>>
  /** The share of traces that is sent, from 0 to 1. */
  readonly share: number
  readonly serviceName: string
  readonly version: string
  readonly processName: string
}

/** Sends spans as OTLP. What collects them is loaded here only. The returned function sends the last ones. */
export async function exportTraces(to: TraceExport): Promise<() => Promise<void>> {
  const sdk = await import('@opentelemetry/sdk-trace')
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-proto')
  const { resourceFromAttributes } = await import('@opentelemetry/resources')
  const exporter = new OTLPTraceExporter({
    url: `${to.endpoint.replace(/\/$/, '')}/v1/traces`,
    headers: { ...to.headers },
  })
  const byTraceId = new sdk.TraceIdRatioBasedSampler(to.share)
  const provider = new sdk.TracerProvider({
    // A client must not be able to have all of its requests sent.
    sampler: new sdk.ParentBasedSampler({ root: byTraceId, remoteParentSampled: byTraceId }),
    resource: resourceFromAttributes({
      'service.name': to.serviceName,
      'service.version': to.version,
      'service.instance.id': to.processName,
    }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter })],
  })
  tracer = provider.getTracer('sutler', to.version)
  return async () => {
    tracer = undefined
    await provider.shutdown()
  }
}
