import type { OverridePatch, Settings } from '../../../content/customization/schema.ts'
import { checkCondition } from '../../../content/site/conditions.ts'
import { Fault, invalid } from '../../../errors.ts'

/**
 * Throws 'invalid', with `detail.position`, if the condition of a header link is no expression over
 * `visitor`.
 */
export function checkConditions({ header }: Settings | OverridePatch): void {
  for (const [index, { condition }] of (header?.links ?? []).entries()) {
    if (condition) checkNamed(`header.links.${index}.condition`, condition)
  }
}

function checkNamed(name: string, condition: string): void {
  try {
    checkCondition(condition, 'visitor')
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    throw invalid(`"${name}" in the body: ${error.message}`, error.detail)
  }
}
