import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { Ajv } from 'ajv'

type SchemaCheck = {
  (document: unknown): boolean
  errors?: { instancePath: string; message?: string }[] | null
}

/** The versions of OpenAPI (2.0: Swagger) whose schemas there are. */
export const specVersions = ['2.0', '3.0', '3.1', '3.2'] as const

type SpecVersion = (typeof specVersions)[number]

/**
 * The path of the compiled checks, with `*` for the version; undefined when running from
 * TypeScript. To compile one takes ten times as long as to load it.
 */
const compiled = (globalThis as { stemmaSchemaChecks?: string }).stemmaSchemaChecks

const load = createRequire(import.meta.url)

/** Returns the check of the schema of a version. It follows no reference. */
export const schemaCheck = (version: SpecVersion): SchemaCheck =>
  compiled
    ? (load(fileURLToPath(new URL(compiled.replace('*', version), import.meta.url))) as SchemaCheck)
    : compileCheck(version).check

/** Compiles the check of a version. The build keeps its source. */
export function compileCheck(version: SpecVersion): { ajv: Ajv; check: SchemaCheck } {
  const file = load.resolve(`@seriousme/openapi-schema-validator/schemas/v${version}/schema.json`)
  const schema = JSON.parse(readFileSync(file, 'utf8')) as { $schema: string }
  const isDraft4 = schema.$schema.includes('draft-04')
  const Compiler = load(isDraft4 ? 'ajv-draft-04' : 'ajv/dist/2020') as { default: typeof Ajv }
  // The package's own schemas need no check. Optimizing the compiled code takes longer than running
  // it once saves.
  const ajv = new Compiler.default({
    strict: false,
    validateFormats: false,
    validateSchema: false,
    code: { source: true, optimize: false },
  })
  return { ajv, check: ajv.compile(schema) as SchemaCheck }
}
