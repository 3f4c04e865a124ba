import { recordOf } from '../navigation/data.ts'
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

  const dependencies = recordOf(plainData(fields.get('dependencies'), file))
  const computed = { type, props: recordOf(plainData(fields.get('props'), file)), dependencies }
  const spec = recordOf(recordOf(dependencies.spec).ref).spec

  return { computed, title: typeof spec === 'string' && spec ? spec : type, issues: file.issues }
}
