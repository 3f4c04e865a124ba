import { z } from 'zod'

const JsonSchema = z.record(z.string(), z.unknown()).meta({
  description:
    'An object schema in a subset of JSON Schema: booleans, strings (also with "enum"), numbers, lists of these, and objects. Every property has a description, and every object has "additionalProperties": false. The properties of "unsigned" are the claims that need no signature.',
})

export const AdaptiveSchema = z
  .object({
    object: z.literal('site-adaptive-schema'),
    jsonSchema: JsonSchema,
    updatedAt: z.string(),
  })
  .meta({
    id: 'SiteAdaptiveSchema',
    description: 'The claims about visitors that the conditions of a site may use.',
  })

export const AdaptiveSchemaBody = z.strictObject({ jsonSchema: JsonSchema })

export const TemplateConditions = z.object({
  items: z.array(
    z.object({ description: z.string(), condition: z.string() }).meta({
      id: 'SiteAdaptiveTemplateCondition',
      description: 'A condition that follows from the schema of claims, to choose from.',
      sentences: { description: 'What it means, in words.', condition: 'The expression.' },
    }),
  ),
})
