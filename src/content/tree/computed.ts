import type { Issue } from '../text/issues.ts'
import { entriesOf, plainData, readYaml, scalarText } from '../text/yaml.ts'
import type { ComputedSource } from './page-node.ts'

const computedLimit = 65_536

/**
 * Reads the source of a computed entry as plain data; without a type, it is undefined and an issue.
 * Never throws.
 */
export function readComputed(yaml: string): {
  computed?: ComputedSource
  title: string
  issues: Issue[]
} {
  const file = readYaml(yaml, computedLimit)
  const fields = new Map(
    entriesOf(file.document?.contents, file).map(entry => [entry.key, entry.value]),
  )
  const type = scalarText(fields.get('type'))

  if (!type) {
    file.issues.push({ message: 'A computed entry needs a "type".' })
    return { title: 'Computed', issues: file.issues }
  }

  const dependencies = record(plainData(fields.get('dependencies'), file))
  const computed = { type, props: record(plainData(fields.get('props'), file)), dependencies }
  const spec = record(record(dependencies.spec).ref).spec

  return { computed, title: typeof spec === 'string' && spec ? spec : type, issues: file.issues }
}

const record = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {}
