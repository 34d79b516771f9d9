// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <string>

namespace kp::test {

/// Sets an environment variable, or unsets it if @p value is null. The destructor restores it.
class ScopedEnvironment {
public:
    ScopedEnvironment(const char* name, const char* value) : mName(name) {
        const char* old = std::getenv(name);
        mWasSet = old != nullptr;
        mOld = old ? old : "";
        set(value);
    }
    ~ScopedEnvironment() { set(mWasSet ? mOld.c_str() : nullptr); }
    ScopedEnvironment(const ScopedEnvironment&) = delete;
    ScopedEnvironment& operator=(const ScopedEnvironment&) = delete;

private:
    void set(const char* value) {
#ifdef _WIN32
        _putenv_s(mName, value ? value : "");
#else
        value ? setenv(mName, value, 1) : unsetenv(mName);
#endif
    }

    const char* mName;
    std::string mOld;
    bool mWasSet;
};

} // namespace kp::test
