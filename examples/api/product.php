<?php
// A product in PHP: asks Gatehouse about each request. php -S 127.0.0.1:8080 product.php
$gatehouse = getenv('GATEHOUSE') ?: 'http://localhost:5173';
$origin = 'http://localhost:' . (getenv('PORT') ?: '8080');

/** Returns a status, and the caller if it is 200. */
function callerOf(string $gatehouse, string $scope = ''): array
{
    $sent = array_filter([
        'Authorization' => $_SERVER['HTTP_AUTHORIZATION'] ?? '',
        'Cookie' => $_SERVER['HTTP_COOKIE'] ?? '',
    ]);
    $lines = array_map(fn ($name) => "$name: $sent[$name]", array_keys($sent));
    $options = ['header' => $lines, 'timeout' => 5, 'ignore_errors' => true, 'follow_location' => 0];
    $query = $scope === '' ? '' : '?' . http_build_query(['scope' => $scope]);
    $context = stream_context_create(['http' => $options]);
    if (@file_get_contents("$gatehouse/api/verify$query", false, $context) === false) return [503, null];
    $status = (int) explode(' ', $http_response_header[0])[1];
    if ($status !== 200) return [in_array($status, [401, 403]) ? $status : 503, null];
    $headers = [];
    foreach (array_slice($http_response_header, 1) as $line) {
        [$name, $value] = explode(':', $line, 2);
        $headers[strtolower($name)] = trim($value);
    }
    // A tool's token passes only where its scope is asked for.
    if ($scope === '' && $headers['x-auth-kind'] !== 'session') return [403, null];
    // Look up your user by this id: an email may be unverified, and can change hands.
    return [200, [
        'userId' => $headers['x-user-id'],
        'email' => $headers['x-user-email'],
        'emailVerified' => $headers['x-user-email-verified'] === 'true',
        'name' => rawurldecode($headers['x-user-name']),
        'role' => $headers['x-user-role'],
    ]];
}

$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
[$status, $caller] = callerOf($gatehouse, $path === '/api/reports' ? 'product:reports:read' : '');
if ($status === 401 && str_contains($_SERVER['HTTP_ACCEPT'] ?? '', 'text/html')) {
    $back = http_build_query(['return_to' => $origin . $_SERVER['REQUEST_URI']]);
    header("Location: $gatehouse/sign-in?$back", true, 302);
} else {
    http_response_code($status);
    header('Content-Type: application/json');
    echo json_encode($caller ?? (object) []);
}
