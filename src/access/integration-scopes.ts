/**
 * The operations that the tokens of an installation may call, by the scope that admits them. Others
 * are refused.
 */
const operationsByScope = {
  'space:content:read': [
    'getCurrentRevision',
    'listPages',
    'listFiles',
    'getFileById',
    'getPageById',
    'getPageByPath',
    'getReusableContentById',
    'listRevisionsOfSpace',
    'getRevisionById',
    'listPagesInRevisionById',
    'listFilesInRevisionById',
    'getFileInRevisionById',
    'getPageInRevisionById',
    'getPageInRevisionByPath',
    'getReusableContentInRevisionById',
    'getRevisionSemanticChanges',
    'searchSpaceContent',
    'listSpaceLinks',
    'listPageLinksInSpace',
    'listSpaceFindings',
    'listRevisionFindings',
    'listSpacePageBacklinks',
    'listSpaceFileBacklinks',
    'getSpacePDF',
    'searchRevisionContent',
    'listRevisionLinks',
    'listPageLinksInRevision',
    'listRevisionPageBacklinks',
    'listSpacePageMetaLinks',
    'listChangeRequestPageMetaLinks',
    'listRevisionPageMetaLinks',
    'listRevisionFileBacklinks',
    'getRevisionPDF',
    'listChangeRequestsForSpace',
    'getChangeRequestById',
    'getChangeRequestChanges',
    'getRevisionOfChangeRequestById',
    'listPagesInChangeRequest',
    'listFilesInChangeRequestById',
    'getFileInChangeRequestById',
    'getPageInChangeRequestById',
    'getPageInChangeRequestByPath',
    'getReusableContentInChangeRequestById',
    'searchChangeRequestContent',
    'listChangeRequestLinks',
    'listChangeRequestFindings',
    'listPageLinksInChangeRequest',
    'listChangeRequestPageBacklinks',
    'listChangeRequestFileBacklinks',
    'getChangeRequestPDF',
  ],
  'space:content:write': [
    'updateContent',
    'createChangeRequest',
    'updateChangeRequestById',
    'updateChangeRequest',
    'updateChangeRequestContent',
  ],
  'space:metadata:read': ['listSpacesInOrganizationById', 'getSpaceById'],
  'space:metadata:write': ['updateSpaceById'],
  'space:git:sync': [
    'importGitRepository',
    'importFolder',
    'importFolderIntoChangeRequest',
    'exportToGitRepository',
    'getSpaceGitInfo',
    'listGitOperations',
    'getGitOperation',
  ],
  'page:feedback:read': [],
  'site:metadata:read': [
    'listSites',
    'getSiteById',
    'getSiteStructure',
    'listSiteSections',
    'listSiteSectionGroups',
    'listSiteSpaces',
    'getPublishedContentSite',
    'getSiteCustomizationById',
    'getSiteSpaceCustomizationById',
    'listSiteRedirects',
    'getSiteRedirectBySource',
  ],
  'site:views:read': [],
  'site:script:inject': [],
  'site:script:cookies': [],
  'site:visitor:auth': ['getSitePublishingAuthById'],
  'site:adaptive:read': ['getSiteAdaptiveSchema', 'listSiteAdaptiveTemplateConditions'],
  'site:adaptive:write': ['updateSiteAdaptiveSchema'],
  'openapi:read': [
    'listOpenAPISpecs',
    'getOpenAPISpecBySlug',
    'listOpenAPISpecVersions',
    'getLatestOpenAPISpecVersion',
    'getLatestOpenAPISpecVersionContent',
    'getLatestOpenAPISpecVersionRaw',
    'getOpenAPISpecVersionById',
    'getOpenAPISpecVersionContentById',
    'getOpenAPISpecVersionRawById',
  ],
  'openapi:write': [
    'createOpenAPISpec',
    'createOrUpdateOpenAPISpecBySlug',
    'updateOpenAPISpecBySlug',
    'deleteOpenAPISpecBySlug',
  ],
  'conversations:ingest': [],
} as const satisfies Record<string, readonly string[]>

/** What an integration may be allowed to do. */
export type IntegrationScope = keyof typeof operationsByScope

/** Every scope of integrations. */
export const integrationScopes = Object.keys(operationsByScope) as [
  IntegrationScope,
  ...IntegrationScope[],
]

/** The operations on itself that the token of an installation may call with any scopes. */
const ofInstallation: ReadonlySet<string> = new Set([
  'getApiInformation',
  'getIntegrationByName',
  'getIntegrationInstallationById',
  'listIntegrationInstallationSites',
  'getIntegrationSiteInstallation',
])

/**
 * The operations that the secret of an integration may call, on the integration and its
 * installations.
 */
const ofSecret: ReadonlySet<string> = new Set([
  ...ofInstallation,
  'createIntegrationInstallationToken',
])

/** Returns whether the token of an installation with these scopes may call an operation. */
export const installationMay = (scopes: readonly string[], operationId: string): boolean =>
  ofInstallation.has(operationId) ||
  integrationScopes.some(
    scope =>
      scopes.includes(scope) &&
      (operationsByScope[scope] as readonly string[]).includes(operationId),
  )

/** Returns whether the secret of an integration may call an operation. */
export const secretMay = (operationId: string): boolean => ofSecret.has(operationId)

/** Returns the scopes that admit the token of an installation to an operation. */
export const scopesFor = (operationId: string): IntegrationScope[] =>
  integrationScopes.filter(scope =>
    (operationsByScope[scope] as readonly string[]).includes(operationId),
  )
