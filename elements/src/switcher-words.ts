const en = {
  organization: 'Organisation',
  none: 'No organisation',
  personal: 'Personal account',
  suspended: 'Suspended',
  manage: 'Members and settings',
  all: 'Organisations and invitations',
  create: 'Create an organisation',
  roles: { owner: 'Owner', admin: 'Administrator', member: 'Member' },
}

type Words = typeof en

const de: Words = {
  organization: 'Organisation',
  none: 'Keine Organisation',
  personal: 'Persönliches Konto',
  suspended: 'Gesperrt',
  manage: 'Mitglieder und Einstellungen',
  all: 'Organisationen und Einladungen',
  create: 'Organisation erstellen',
  roles: { owner: 'Inhaber', admin: 'Administrator', member: 'Mitglied' },
}

const zh: Words = {
  organization: '组织',
  none: '没有组织',
  personal: '个人账号',
  suspended: '已停用',
  manage: '成员与设置',
  all: '组织与邀请',
  create: '创建组织',
  roles: { owner: '所有者', admin: '管理员', member: '成员' },
}

/** Built-in roles have words; the product's own are shown as they are named. */
export function wordsIn(lang: string) {
  const words = lang === 'de' ? de : lang === 'zh' ? zh : en
  return { ...words, roles: new Map(Object.entries(words.roles)) }
}
