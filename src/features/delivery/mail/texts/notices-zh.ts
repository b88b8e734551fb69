import type { Words } from './changes.ts'

const ifNot = '如果不是，请用“忘记密码”设置新密码，检查设置中的“安全”页面，并写信至下方地址。'
const ifAsked = `如果是您要求的，无需理会。${ifNot}`

export const zh: Words = {
  changes: {
    'password changed': { subject: '您的密码已更改', what: '您账号的密码已被更改。' },
    'password reset': {
      subject: '您的密码已重置',
      what: '您账号的密码已通过邮件重新设置，所有设备均已退出登录。',
    },
    'totp added': { subject: '已添加验证器应用', what: '今后登录时需要输入验证器应用中的验证码。' },
    'totp removed': { subject: '已移除验证器应用', what: '登录时不再需要验证器应用中的验证码。' },
    'passkey added': { subject: '已添加通行密钥', what: '现在可以用一个新的通行密钥登录您的账号。' },
    'passkey removed': { subject: '已移除通行密钥', what: '有一个通行密钥不能再用于登录您的账号。' },
    'backup codes renewed': {
      subject: '已生成新的备用码',
      what: '您的账号有了新的备用码，旧的备用码已失效。',
    },
    'backup code used': {
      subject: '有备用码被使用',
      what: '您的一个备用码已被使用，该备用码已失效。',
    },
    'factors removed': {
      subject: '您的第二重验证已被移除',
      what: '管理员移除了您账号的验证器应用、通行密钥和备用码。',
      closing: ifAsked,
    },
    'provider linked': { subject: '已添加登录方式', what: '现在可以用一个第三方账号登录您的账号。' },
    'provider unlinked': { subject: '已移除登录方式', what: '您的账号有一种登录方式已被移除。' },
    'tool connected': { subject: '已连接工具', what: '一个工具现在可以按授予的权限使用您的账号。' },
    'application connected': {
      subject: '已连接应用',
      what: '一个应用现在可以按授予的权限使用您的账号。',
    },
    'tool disconnected': { subject: '已断开工具', what: '有一个工具不能再使用您的账号。' },
    'passkey copied': {
      subject: '已拒绝被复制的通行密钥',
      what: '有人试图用您的一个通行密钥的副本登录，已被拒绝。请移除该通行密钥并添加新的。',
      closing: '另请在设置中查看“安全”。如果发现您不认识的内容，请将其移除，并写信至下方地址。',
    },
    'device trusted': {
      subject: '已信任一台设备',
      what: '30 天内，在这台设备上登录时不再要求第二步验证。',
    },
    'device no longer trusted': {
      subject: '已取消信任一台设备',
      what: '在您曾信任的一台设备上登录时，将重新要求第二步验证。',
    },
    'invitation accepted': {
      subject: '您的邀请已被接受',
      what: '您账号的第一个密码或通行密钥已设置。',
    },
    'password reset on the host': {
      subject: '您的密码已重置',
      what: '管理员在服务器上为您的账号设置了新密码，所有设备均已退出登录。',
      closing: ifAsked,
    },
    'verified in another browser': {
      subject: '您的邮箱地址已确认',
      what: '您的邮箱地址是在另一个浏览器中确认的，不是设置该账号时所用的浏览器。此前的密码、通行密钥、验证器应用和关联账号均已失效，所有登录会话和工具均已结束。如果您现在没有密码，请用“忘记密码”设置一个。',
    },
    'signed out everywhere': {
      subject: '您已退出登录',
      what: '您的登录会话和已连接的工具均已结束。',
    },
    'signed out elsewhere': {
      subject: '其他设备已退出登录',
      what: '您的账号在其他设备上的一个或多个登录会话已结束。',
    },
    'token made': {
      subject: '已创建访问令牌',
      what: '持有该令牌的脚本现在可以按授予的权限使用您的账号。',
    },
    'token revoked': {
      subject: '已撤销访问令牌',
      what: '持有该令牌的脚本不能再使用您的账号。',
    },
    'wrong second steps': {
      subject: '有人正在尝试登录',
      what: '有人在登录您的账号时通过了第一步，但在第二步多次输入错误的验证码，未能登录。',
    },
  },
  tool: '命令行客户端',
  passkey: (day) => `通行密钥（添加于 ${day}）`,
  when: ({ time, device, address, place, name }) =>
    [
      ...(name === undefined ? [] : [`名称：${name}`]),
      `时间：${time}（UTC）`,
      ...(device === null ? [] : [`设备：${device}`]),
      ...(address === null ? [] : [`地址：${address}${place === null ? '' : `，${place}`}`]),
    ].join('；'),
  closing: `如果是您本人操作，无需理会。${ifNot}`,
}
