import { Counter, Histogram, Registry } from 'prom-client'
import { expect, test } from 'vitest'
import {
  type MetricsOfProcess,
  textOfProcesses,
} from '../../../server/kernel/metrics/metrics-of-processes.ts'

/** What a process says that has counted so many. */
async function measured(count: number): Promise<MetricsOfProcess> {
  const registers = [new Registry()] as const
  const counter = new Counter({
    name: 'made_total',
    help: 'Made.',
    labelNames: ['kind'],
    registers: [...registers],
  })
  counter.inc({ kind: 'a' }, count)
  const times = new Histogram({
    name: 'took_seconds',
    help: 'Took.',
    buckets: [1],
    registers: [...registers],
  })
  times.observe(count)
  // As it arrives: the channel between processes sends JSON.
  return JSON.parse(JSON.stringify(await registers[0].getMetricsAsJSON()))
}

test('the metrics of several processes are one text, in which each has its values and its number', async () => {
  const text = await textOfProcesses([
    { label: '1', metrics: await measured(2) },
    { label: '3', metrics: await measured(0) },
  ])
  expect(text).toBe(`# HELP made_total Made.
# TYPE made_total counter
made_total{kind="a",process="1"} 2
made_total{kind="a",process="3"} 0

# HELP took_seconds Took.
# TYPE took_seconds histogram
took_seconds_bucket{le="1",process="1"} 0
took_seconds_bucket{le="+Inf",process="1"} 1
took_seconds_sum{process="1"} 2
took_seconds_count{process="1"} 1
took_seconds_bucket{le="1",process="3"} 1
took_seconds_bucket{le="+Inf",process="3"} 1
took_seconds_sum{process="3"} 0
took_seconds_count{process="3"} 1
`)
})
