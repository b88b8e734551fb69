import type { Words } from './changes.ts'

const ifNot = '如果不是，请用“忘记密码”设置新密码，检查设置中的“安全”页面，并写信至下方地址。'
const ifAsked = `如果是您要求的，无需理会。${ifNot}`

const ifUnexpected = '如果您不知情，请写信至下方地址。'

export const zh: Words = {
  changes: {
    'unfamiliar sign-in': {
      subject: '您的账号有新的登录',
      what: '有人使用您从未用过的浏览器和网络登录了您的账号。',
      closing:
        '如果是您本人操作，无需理会。如果不是，请点击链接：所有浏览器和工具都会退出登录，密码会被移除，然后您可以设置新密码。',
    },
    'address change asked for': {
      subject: '您的账号将更换邮箱',
      what: '在输入我们发往新邮箱的验证码之后，您的账号将使用新的邮箱地址。',
      closing:
        '如果是您本人申请，无需理会。如果不是，请在一周内点击链接：您的账号将保留或恢复此邮箱，所有访问权限都会终止。',
    },
    'address wanted by another': {
      subject: '您的邮箱已被使用',
      what: '有人想将此邮箱用于另一个账号。它仍属于您的账号，您的账号没有任何变化。',
      closing: '如果是您本人操作，请用此邮箱登录。如果不是，请忽略此邮件。',
    },
    'password changed': { subject: '您的密码已更改', what: '您账号的密码已被更改。' },
    'password reset': {
      subject: '您的密码已重置',
      what: '您账号的密码已通过邮件重新设置，所有设备均已退出登录。',
    },
    'password breached': {
      subject: '您的密码已泄露',
      what: '您刚才登录所用的密码出现在已泄露密码的名单中，他人会到处尝试。请在设置的“安全”页面更换密码，并在其他使用该密码的地方一并更换。',
    },
    'address changed on the host': {
      subject: '您的账号已更换邮箱',
      what: '服务器上已为管理员账号设置了另一个邮箱地址。今后邮件将发往新地址，此地址不能再用于登录。',
    },
    'address taken up': {
      subject: '此邮箱现为管理员的地址',
      what: '服务器上已为管理员账号设置了此邮箱地址。今后用它登录，邮件也会发到这里。',
    },
    'removed from organisation': {
      subject: '您已被移出一个组织',
      what: '您不再是该组织的成员，您的工具也不能再在其中操作。',
      closing: ifUnexpected,
    },
    'ownership gained': {
      subject: '您已成为一个组织的所有者',
      what: '您现在是该组织的所有者，可以更改其中的一切，也可以删除该组织。',
      closing: ifUnexpected,
    },
    'ownership lost': {
      subject: '您不再是一个组织的所有者',
      what: '您不再是该组织的所有者。',
      closing: ifUnexpected,
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
    'acted as you': {
      subject: '管理员正在使用您的账户',
      what: '管理员将以您的身份操作，最长 30 分钟，并可进行更改。您可以在安全页面查看所做的更改，并在那里结束。',
      closing: ifUnexpected,
    },
    'staff added': {
      subject: '您已成为工作人员',
      what: '管理员与您共享了管理权限。控制台会显示您可以进行的操作。',
      closing: ifUnexpected,
    },
    'staff changed': {
      subject: '您的权限已更改',
      what: '管理员更改了您在控制台中可以进行的操作。',
      closing: ifUnexpected,
    },
    'staff removed': {
      subject: '您不再是工作人员',
      what: '您及您的工具和访问令牌不能再使用控制台。',
      closing: ifUnexpected,
    },
    'colleague added': { subject: '已添加工作人员', what: '该用户现在可以按您授予的权限使用控制台。' },
    'colleague changed': { subject: '工作人员的权限已更改', what: '该工作人员在控制台中可以进行的操作已更改。' },
    'colleague removed': {
      subject: '已移除工作人员',
      what: '该用户不能再使用控制台。请更换其知晓的应用和 Webhook 密钥。',
    },
    'wrong second steps': {
      subject: '有人正在尝试登录',
      what: '有人在登录您的账号时通过了第一步，但在第二步多次输入错误的验证码，未能登录。',
    },
  },
  tool: '命令行客户端',
  passkey: (day) => `通行密钥（添加于 ${day}）`,
  when: ({ time, device, address, place, name, by }) =>
    [
      ...(name === undefined ? [] : [`名称：${name}`]),
      `时间：${time}（UTC）`,
      ...(by === undefined ? [] : [`操作人：${by}`]),
      ...(device === null ? [] : [`设备：${device}`]),
      ...(address === null ? [] : [`地址：${address}${place === null ? '' : `，${place}`}`]),
    ].join('；'),
  closing: `如果是您本人操作，无需理会。${ifNot}`,
  secure: '不是我本人操作',
}
