import type { Settings } from './schema.ts'

const codeTheme = { light: 'default-light', dark: 'default-dark' }

/**
 * Returns settings with the keys that later versions of the official client require: they follow
 * from other settings.
 */
export const withComputed = (settings: Settings): Settings => ({
  ...settings,
  styling: { ...settings.styling, codeTheme: { default: codeTheme, openapi: codeTheme } },
  pageActions: { ...settings.pageActions, items: pageActionItems(settings) },
  socialAccounts: [],
})

function pageActionItems({ ai, pageActions, git, pdf }: Settings): string[] {
  return [
    ...(ai.mode === 'assistant' ? ['assistant'] : []),
    ...(pageActions.externalAI ? ['external-ai'] : []),
    ...(pageActions.markdown ? ['markdown'] : []),
    ...(pageActions.mcp ? ['mcp'] : []),
    ...(git.showEditLink ? ['git'] : []),
    ...(pdf.enabled ? ['pdf'] : []),
  ]
}
