import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Counter, collectDefaultMetrics, Gauge, Histogram, type LabelValues, Registry } from 'prom-client'
import type { MetricsOfProcess } from './metrics-of-processes.ts'

/** What this process has counted since its metrics are exported. A metric is declared beside what it counts. */
const processMetrics = new Registry()

const registers = [processMetrics]

/** Without a port for them nobody can read the metrics, and counting takes several microseconds of each request. */
let isExported = false

/** Whether anyone can read what is counted. */
export const areExported = (): boolean => isExported

const ifExported =
  <A extends readonly unknown[]>(count: (...values: A) => void) =>
  (...values: A): void => {
    if (isExported) count(...values)
  }

export function counter<L extends string = never>(name: string, help: string, labelNames: readonly L[] = []) {
  const own = new Counter({ name, help, labelNames, registers })
  return { inc: ifExported((labels: LabelValues<L>) => own.inc(labels)) }
}

export function gauge<L extends string = never>(name: string, help: string, labelNames: readonly L[] = []) {
  const own = new Gauge({ name, help, labelNames, registers })
  return {
    inc: ifExported((labels: LabelValues<L> = {}) => own.inc(labels)),
    dec: ifExported((labels: LabelValues<L> = {}) => own.dec(labels)),
  }
}

export function histogram<L extends string = never>(
  name: string,
  help: string,
  labelNames: readonly L[],
  bucketsS: readonly number[],
) {
  const own = new Histogram({ name, help, labelNames, buckets: [...bucketsS], registers })
  return { observe: ifExported((labels: LabelValues<L>, value: number) => own.observe(labels, value)) }
}

/** One value of a gauge. */
export interface Reading {
  readonly labels?: Readonly<Record<string, string>>
  readonly value: number
}

/** A value that is looked up when it is asked for. */
export interface GaugeSource {
  readonly name: string
  readonly about: string
  readonly labels?: readonly string[]
  read(): readonly Reading[] | Promise<readonly Reading[]>
}

function addGauge(registry: Registry, { name, about, labels = [], read }: GaugeSource): void {
  new Gauge({
    ...{ name, help: about, labelNames: labels, registers: [registry] },
    async collect() {
      const readings = await read()
      this.reset()
      // Nothing is shown in place of what is not known: a reset gauge without labels would be 0.
      if (readings.length === 0 && labels.length === 0) this.remove()
      for (const { labels: values = {}, value } of readings) this.set(values, value)
    },
  })
}

/** What this process shows of itself: what it has counted, and these gauges. */
export interface ProcessMetrics {
  text(): Promise<string>
  read(): Promise<MetricsOfProcess>
  stop(): void
}

/** Begins to measure. */
export function exportMetrics(gauges: readonly GaugeSource[]): ProcessMetrics {
  // Once in a process: the package has no way to end what it observes.
  if (!isExported) collectDefaultMetrics({ register: processMetrics })
  isExported = true
  const own = new Registry()
  const lag = eventLoopLag()
  for (const gauge of [...gauges, lag.gauge]) addGauge(own, gauge)
  const all = Registry.merge([processMetrics, own])
  return {
    text: () => all.metrics(),
    read: () => all.getMetricsAsJSON() as unknown as Promise<MetricsOfProcess>,
    stop: lag.stop,
  }
}

/** What is measured is a timer of this interval, and how much later than that it comes. */
const resolutionMs = 20
const windowMs = 10_000
const quantiles = [0.5, 0.99, 1] as const

/** How late timers come, over the last ten seconds. */
function eventLoopLag(): { readonly gauge: GaugeSource; stop(): void } {
  const delays = monitorEventLoopDelay({ resolution: resolutionMs })
  const lagOf = (quantile: number) =>
    delays.count ? Math.max(0, delays.percentile(quantile * 100) / 1e9 - resolutionMs / 1000) : 0
  const readNow = () => quantiles.map((one) => ({ labels: { quantile: String(one) }, value: lagOf(one) }))
  let latest: ReturnType<typeof readNow> | undefined
  delays.enable()
  const timer = setInterval(() => {
    latest = readNow()
    delays.reset()
  }, windowMs).unref()
  return {
    gauge: {
      name: 'sutler_event_loop_lag_seconds',
      about: 'How late the event loop was over ten seconds. Quantile 1 is the most.',
      labels: ['quantile'],
      read: () => latest ?? readNow(),
    },
    stop() {
      clearInterval(timer)
      delays.disable()
    },
  }
}
