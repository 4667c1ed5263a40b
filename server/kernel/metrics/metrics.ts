import { Counter, Gauge, Histogram, Registry } from 'prom-client'

/** What this process has counted since it started. A metric is declared beside what it counts. */
export const processMetrics = new Registry()

const registers = [processMetrics]

export const counter = <L extends string = never>(
  name: string,
  help: string,
  labelNames: readonly L[] = [],
): Counter<L> => new Counter({ name, help, labelNames, registers })

export const gauge = <L extends string = never>(
  name: string,
  help: string,
  labelNames: readonly L[] = [],
): Gauge<L> => new Gauge({ name, help, labelNames, registers })

export const histogram = <L extends string = never>(
  name: string,
  help: string,
  labelNames: readonly L[],
  bucketsS: readonly number[],
): Histogram<L> => new Histogram({ name, help, labelNames, buckets: [...bucketsS], registers })

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

export function addGauge(registry: Registry, { name, about, labels = [], read }: GaugeSource): void {
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
