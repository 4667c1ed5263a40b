import { type MetricObjectWithValues, type MetricValue, Registry } from 'prom-client'

/** What a process has measured, as it tells another process. */
export type MetricsOfProcess = readonly MetricObjectWithValues<MetricValue<string>>[]

/**
 * The metrics of several processes as one text. Each keeps its values, with its number as a label: a sum of counters
 * would fall when a process begins again, and a rate of it would count everything once more.
 */
export function textOfProcesses(
  processes: readonly { readonly label: string; readonly metrics: MetricsOfProcess }[],
): Promise<string> {
  const all = new Map<string, MetricObjectWithValues<MetricValue<string>>>()
  for (const { label, metrics } of processes) {
    for (const metric of metrics) {
      const values = metric.values.map((one) => ({ ...one, labels: { ...one.labels, process: label } }))
      const before = all.get(metric.name)
      all.set(metric.name, { ...metric, values: [...(before?.values ?? []), ...values] })
    }
  }
  const registry = new Registry()
  for (const metric of all.values()) registry.registerMetric({ ...metric, get: async () => metric } as never)
  return registry.metrics()
}
